# make image; then: docker run --rm -it tamp make demo
# `tools` is what set-up needs of the system, and what editors open (.devcontainer/); the rest is tamp in it. Nothing runs
# as root. The digest is of the image for all architectures; a newer one: docker buildx imagetools inspect python:…
FROM python:3.11.14-slim-bookworm@sha256:65a93d69fa75478d554f4ad27c85c1e69fa184956261b4301ebaf6dbb0a3543d AS tools
RUN apt-get update \
 && apt-get install -y --no-install-recommends make g++ cmake git libosmesa6 chromium \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 --shell /bin/bash tamp \
 && install -d -o tamp -g tamp /tamp
USER tamp

FROM tools
WORKDIR /tamp
COPY --chown=tamp Makefile pyproject.toml README.md LICENSE ./
COPY --chown=tamp lock lock
COPY --chown=tamp tamp tamp
COPY --chown=tamp motion motion
COPY --chown=tamp llm llm
COPY --chown=tamp cli cli
COPY --chown=tamp domains domains
COPY --chown=tamp problems problems
RUN make setup
COPY --chown=tamp tests tests
COPY --chown=tamp docs docs
ENV PATH=/tamp/.venv/bin:$PATH
CMD ["tamp", "--help"]
