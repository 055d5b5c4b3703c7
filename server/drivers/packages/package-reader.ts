import { open } from 'node:fs/promises'
import { createMappFault } from '#domain/catalogue/mapp.ts'
import { type ProcessLimits, runBounded } from '#server/drivers/bounded-process.ts'
import type { PackageContent, PackageReadResult } from '#server/drivers/packages/read-package.ts'

/** Limits of the process. The largest allowed package takes three seconds of one core and some 60 MB in addition to Node itself. */
const defaultLimits: ProcessLimits = {
  dataKb: 900_000,
  cpuSeconds: 20,
  wallMs: 60_000,
  maxOutputBytes: 8_000_000,
  heapMb: 128,
}

/**
 * Returns the fault TOO_COSTLY if the process exceeds a limit or crashes. Rejects if the file cannot be opened or no process can be
 * started.
 */
export async function readPackageFile(path: string, limits: Partial<ProcessLimits> = {}): Promise<PackageReadResult> {
  const file = await open(path, 'r')
  try {
    const script = new URL('./process.ts', import.meta.url)
    const output = await runBounded(script, [], file.fd, { ...defaultLimits, ...limits })
    return output === null ? { fault: createMappFault('TOO_COSTLY') } : parseOutput(output)
  } finally {
    await file.close()
  }
}

function parseOutput(output: Buffer): PackageReadResult {
  const result = JSON.parse(output.toString()) as
    | Extract<PackageReadResult, { fault: unknown }>
    | { content: Omit<PackageContent, 'icon'> & { icon: string | null } }
  if ('fault' in result) return result
  const { icon, ...content } = result.content
  return { content: { ...content, icon: icon === null ? null : Buffer.from(icon, 'base64') } }
}
