"""A short run of the race test for each protocol."""

import races
from common import Failures, arguments


def main():
    args = arguments(__doc__).parse_args()
    failures = Failures()
    races.run(races.options().parse_args(["--klotz", args.klotz, "--rounds", "200"]), failures)
    failures.finish()


if __name__ == "__main__":
    main()
