/** Brings to this device all that its user's pages read, so that they open without a connection; then only what has changed. */
import type { Caller } from '#domain/access.ts'
import type { PartName, RunEnd } from '#local/storage/preparation-record.ts'
import { readPreparationIn } from '#local/storage/preparation-record.ts'
import { isPartDue, isRunDue, updatePreparation } from '#local/preparation/preparation-store.ts'
import { browserStorage, type Estimates } from '#local/space/usage.ts'
import { isFull, unlessFull } from '#local/storage/storage-errors.ts'
import type { Ports } from '#request/ports.ts'
import { createPartReader, RunEnded, toPreparedPart } from '#request/preparation/part-reader.ts'
import { getPartNames, readPart } from '#request/preparation/prepared-parts.ts'
import { type Guard, whoNow } from '#request/reads/read-context.ts'
import type { PreparationProgress, PrepareResult } from '#request/results.ts'

export interface PrepareOptions {
  caller: Caller
  /** Of a background round: only where it is turned on, and only what is due. */
  isBackground?: boolean
  onProgress?: (progress: PreparationProgress) => void
  signal?: AbortSignal
  storage?: Estimates
}

/** Bytes that must be free: for all of it, to bring it up to date, and before each part. The rest is for what its user writes. */
const neededBytes = { first: 80_000_000, refresh: 20_000_000, part: 10_000_000 }

/** One run at a time over all pages; `busy`: another page is at it. `off`: there is nothing to do now. */
export async function prepareDevice(ports: Ports, options: PrepareOptions): Promise<PrepareResult> {
  const { guard } = await whoNow(ports)
  if (!guard) return { kind: 'gone' }
  const { db } = guard
  if (options.isBackground && !isRunDue(await readPreparationIn(db), ports.clock())) return { kind: 'off' }
  const held = await ports.locks.hold(`preparation:${db.name}`, { waitMs: 0 }, async () => {
    const end = await runParts(ports, guard, options).catch((error: unknown): PrepareResult => {
      if (error instanceof RunEnded) return error.end
      if (isFull(error)) return { kind: 'no space', free: null, needed: neededBytes.part }
      throw error
    })
    if (isRunEnd(end)) await unlessFull(updatePreparation(db, () => ({ endedAt: ports.clock(), end })))
    return end
  })
  return held?.value ?? { kind: 'busy' }
}

const isRunEnd = (result: PrepareResult): result is RunEnd =>
  result.kind !== 'gone' && result.kind !== 'busy' && result.kind !== 'off'

async function runParts(
  ports: Ports,
  guard: Guard,
  { caller, isBackground = false, onProgress, signal, storage = browserStorage() }: PrepareOptions,
): Promise<PrepareResult> {
  const { db, generation } = guard
  const names = await selectParts(ports, guard, caller, isBackground)
  const { parts } = await readPreparationIn(db)
  const isFirst = Object.values(parts).length === 0
  await requireSpace(storage, isFirst ? neededBytes.first : neededBytes.refresh)
  for (const [index, name] of names.entries()) {
    const report = (done: number, of: number) => onProgress?.({ part: name, index, count: names.length, done, of })
    report(0, 0)
    await requireSpace(storage, neededBytes.part)
    const { reader, result } = createPartReader({ ports, guard, signal, onProgress: report })
    reader.check()
    await readPart(name, reader, caller, (bytes) => requireSpace(storage, bytes + neededBytes.part))
    const part = toPreparedPart(result, { now: ports.clock(), asOf: reader.now(), generation })
    await updatePreparation(db, (record) => ({ parts: { ...record.parts, [name]: part } }))
  }
  // Of rights that were taken away nothing is brought up to date any more.
  const allowed = new Set<string>(getPartNames(caller))
  await updatePreparation(db, (record) => ({
    parts: Object.fromEntries(Object.entries(record.parts).filter(([name]) => allowed.has(name))),
  }))
  return { kind: 'done' }
}

async function selectParts(
  ports: Ports,
  { db }: Guard,
  caller: Caller,
  isBackground: boolean,
): Promise<readonly PartName[]> {
  const names = getPartNames(caller)
  if (!isBackground) return names
  const { parts } = await readPreparationIn(db)
  const due = await Promise.all(names.map((name) => isPartDue(db, parts[name], ports.clock())))
  return names.filter((_, index) => due[index])
}

/** Throws where so many bytes are not free. A browser that does not say how much is free is tried. */
async function requireSpace(storage: Estimates, needed: number): Promise<void> {
  const { usage, quota } = (await storage.estimate?.().catch(() => undefined)) ?? {}
  if (usage === undefined || quota === undefined) return
  const free = Math.max(0, quota - usage)
  if (free < needed) throw new RunEnded({ kind: 'no space', free, needed })
}
