"""What `import tamp` promises, a module for each job. Names are promised, by `tamp.__all__`, not places."""
