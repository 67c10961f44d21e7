# For test servers that build with `make EXE=name`, as OpenBench does. Everybody else uses cargo.
EXE ?= klotz
ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif

.PHONY: all clean

all:
	cargo rustc --release --locked --bin klotz -- -C target-cpu=native
	cp target/release/klotz$(SUFFIX) $(EXE)

clean:
	cargo clean
