/**
 * Starts a small sample ERP. `run` runs one task by the instance contract, with settings from the environment. The local driver uses
 * `serve ARGUMENTS`, which runs one task, and `set-password FOLDER`, which reads a password from standard input.
 */
import '#server/config/private-files.ts'

const [, , command, argument = ''] = process.argv
if (command === 'run') {
  const { run } = await import('#demo/sample-instance/contract/run.ts')
  await run(process.env)
} else if (command === 'serve') {
  const { serve } = await import('#demo/sample-instance/serve.ts')
  await serve(argument)
} else if (command === 'set-password') {
  const { setPassword } = await import('#demo/sample-instance/set-password.ts')
  await setPassword(argument)
} else {
  console.error('Usage: run | serve ARGUMENTS | set-password FOLDER')
  process.exitCode = 2
}
