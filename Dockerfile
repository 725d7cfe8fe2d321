# make image; then: docker run --rm -it tamp make demo
# `tools` is what set-up needs of the system, and what editors open (.devcontainer/); the rest is tamp in it.
FROM python:3.11-slim-bookworm AS tools
RUN apt-get update \
 && apt-get install -y --no-install-recommends make g++ cmake git libosmesa6 chromium \
 && rm -rf /var/lib/apt/lists/*

FROM tools
WORKDIR /tamp
COPY Makefile pyproject.toml README.md LICENSE ./
COPY lock lock
COPY tamp tamp
COPY motion motion
COPY llm llm
COPY cli cli
COPY domains domains
COPY problems problems
RUN make setup
COPY tests tests
COPY docs docs
ENV PATH=/tamp/.venv/bin:$PATH
CMD ["tamp", "--help"]
