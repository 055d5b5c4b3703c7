/** The sample program for the local driver, which breaks if an app tells it to. */
import '#tests/support/hosting/program-breaks.ts'

await import('#demo/sample-instance/main.ts')
