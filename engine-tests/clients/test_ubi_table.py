"""One short match in each set-up of the UBI table server."""

import ubi_table
from common import Failures, arguments


def main():
    args = arguments(__doc__).parse_args()
    failures = Failures()
    line = ["--klotz", args.klotz, "--matches", "1", "--tc", "180", "--nodes", "3000"]
    for per_team in (False, True):
        ubi_table.matches(ubi_table.options().parse_args(line), per_team, failures)
    failures.finish()


if __name__ == "__main__":
    main()
