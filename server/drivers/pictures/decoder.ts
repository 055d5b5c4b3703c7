/**
 * Decodes what strangers send outside the server's own process: native code that aborts, hangs or asks for all memory ends one
 * upload and nothing else. The limits are the operating system's, which hold for native memory too; Windows has none of them,
 * and macOS none for memory, so that there only the time and the checks of the file's head protect.
 */
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { ImageSize } from '#domain/images.ts'

interface DecoderLimits {
  dataKb: number
  cpuSeconds: number
  wallMs: number
}

/**
 * Node counts some 570 MB as data before it begins, nearly all of it never touched; the largest picture that is let in, of 16
 * bits a channel, needs 500 MB more. It takes a second of one core.
 */
const usual: DecoderLimits = { dataKb: 1_200_000, cpuSeconds: 5, wallMs: 30_000 }
const maxBytesOut = 4_000_000

const script = fileURLToPath(new URL('./process.ts', import.meta.url))
// One worker thread and a small heap: what is left is for the picture. No environment: the server's holds its secrets.
const flags = ['--max-old-space-size=64', '--v8-pool-size=0']
const env = { UV_THREADPOOL_SIZE: '1' }

/** The picture as a WebP square; null: it could not be decoded within the limits. Rejects where no process can be started. */
export function decodePicture(
  file: Uint8Array,
  { format, width, height }: ImageSize,
  { dataKb, cpuSeconds, wallMs }: DecoderLimits = usual,
): Promise<Buffer | null> {
  const limits = `ulimit -c 0; ulimit -d ${dataKb}; ulimit -t ${cpuSeconds}; exec "$@"`
  const command = [process.execPath, ...flags, script, format, String(width), String(height)]
  const [program, ...args] = process.platform === 'win32' ? command : ['/bin/sh', '-c', limits, 'sh', ...command]
  const child = spawn(program ?? '', args, { env, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
  const parts: Buffer[] = []
  let size = 0
  child.stdout.on('data', (part: Buffer) => {
    size += part.length
    if (size > maxBytesOut) child.kill('SIGKILL')
    else parts.push(part)
  })
  // A process that ends early does not read to the end.
  child.stdin.on('error', () => undefined)
  child.stdin.end(file)
  const tooLong = setTimeout(() => child.kill('SIGKILL'), wallMs)
  return new Promise<Buffer | null>((done, failed) => {
    child.on('error', failed)
    child.on('spawn', () => giveWay(child.pid))
    child.on('close', (code) => done(code === 0 && size > 0 ? Buffer.concat(parts) : null))
  }).finally(() => clearTimeout(tooLong))
}

/** Answers come first. */
function giveWay(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended, or the system does not let us.
  }
}
