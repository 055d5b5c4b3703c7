/** Sets the password of an instance's `admin` by its own program, on its data: whether it runs or not. */
import { spawn } from 'node:child_process'
import { HostingError } from '#server/drivers/hosting/driver.ts'
import type { TaskProgram } from '#server/drivers/hosting/local/instances/task.ts'

const patienceMs = 20_000
const maxWords = 2000

/** On standard input: what stands in a command line, every user of the machine can read. */
export function setInstancePassword(program: TaskProgram, dataFolder: string, password: string): Promise<void> {
  const flags = ['--disable-warning=ExperimentalWarning', program.path, 'set-password', dataFolder]
  const child = spawn(process.execPath, flags, {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: program.env,
    windowsHide: true,
  })
  let words = ''
  child.stderr.on('data', (part: Buffer) => void (words = (words + part.toString()).slice(-maxWords)))
  child.stdin.on('error', () => undefined)
  child.stdin.end(password)
  const tooLong = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  return new Promise<void>((done, failed) => {
    const fail = (why: string) => failed(new HostingError('unreachable', `the password could not be set: ${why}`))
    child.on('error', (error) => fail(error.message))
    child.on('close', (code) => (code === 0 ? done() : fail(words.trim() || `ended with ${code}`)))
  }).finally(() => clearTimeout(tooLong))
}
