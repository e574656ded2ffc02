"""The Spark session of a job, and the Java that it uses."""
