/** Starts a small sample ERP. `serve ARGUMENTS` runs one task; `set-password FOLDER` reads a password from standard input. */
import '#server/config/private-files.ts'

const [, , command, argument = ''] = process.argv
if (command === 'serve') {
  const { serve } = await import('#demo/sample-instance/serve.ts')
  await serve(argument)
} else if (command === 'set-password') {
  const { setPassword } = await import('#demo/sample-instance/set-password.ts')
  await setPassword(argument)
} else {
  console.error('Usage: serve ARGUMENTS | set-password FOLDER')
  process.exitCode = 2
}
