/** Sets the password of an instance's `admin` by its own program, on its data: whether it runs or not. */
import { HostingError } from '#server/drivers/hosting/driver.ts'
import { type InstanceProgram, spawnProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'

const patienceMs = 20_000
const maxWords = 2000
const limitMb = 256

/** On standard input: what stands in a command line, every user of the machine can read. */
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
  let words = ''
  child.stderr?.on('data', (part: Buffer) => void (words = (words + part.toString()).slice(-maxWords)))
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(password)
  const tooLong = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  return new Promise<void>((done, failed) => {
    const fail = (why: string) => failed(new HostingError('unreachable', `the password could not be set: ${why}`))
    child.on('error', (error) => fail(error.message))
    child.on('close', (code) => (code === 0 ? done() : fail(words.trim() || `ended with ${code}`)))
  }).finally(() => clearTimeout(tooLong))
}
