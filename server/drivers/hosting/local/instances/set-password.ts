/** Sets the password of `admin` by running the instance's program on its data. The instance may be running or stopped. */
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import { type InstanceProgram, spawnProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'

const timeoutMs = 20_000
const maxErrorLength = 2000
const limitMb = 256

/** The password is passed on standard input, because every user of the machine can read command lines. */
export function setInstancePassword(
  program: InstanceProgram,
  user: number | undefined,
  dataFolder: string,
  password: string,
): Promise<void> {
  const child = spawnProgram(program, {
    args: ['set-password', dataFolder],
    limitMb,
    user,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let errorOutput = ''
  child.stderr?.on(
    'data',
    (chunk: Buffer) => void (errorOutput = (errorOutput + chunk.toString()).slice(-maxErrorLength)),
  )
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(password)
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  return new Promise<void>((resolve, reject) => {
    const fail = (reason: string) => reject(new HostingError('unreachable', `could not set the password: ${reason}`))
    child.on('error', (error) => fail(error.message))
    child.on('close', (code) =>
      code === 0 ? resolve() : fail(errorOutput.trim() || `the program ended with exit code ${code}`),
    )
  }).finally(() => clearTimeout(timer))
}
