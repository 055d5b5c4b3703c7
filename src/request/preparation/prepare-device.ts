/** Fetches all data that the user's pages read, so that they open offline. Later runs fetch only what has changed. */
import type { Caller } from '#domain/access.ts'
import type { PreparationPartName, PreparationEnd } from '#local/storage/preparation-record.ts'
import { readPreparationRecord } from '#local/storage/preparation-record.ts'
import { isPartDue, isRunDue, updatePreparation } from '#local/preparation/preparation-store.ts'
import { getBrowserStorage, type StorageEstimates } from '#local/space/usage.ts'
import { isFullError, resolveUnlessFull } from '#local/storage/storage-errors.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { createPartReader, RunEndedError, toPreparedPart } from '#request/preparation/part-reader.ts'
import { getPartNames, readPart } from '#request/preparation/prepared-parts.ts'
import { type SessionGuard, readSessionGuard } from '#request/reads/read-context.ts'
import type { PreparationProgress, PrepareResult } from '#request/call-results.ts'

export interface PrepareOptions {
  caller: Caller
  /** True for a background run: runs only if the preparation is turned on, and fetches only parts that are due. */
  isBackground?: boolean
  onProgress?: (progress: PreparationProgress) => void
  signal?: AbortSignal
  storage?: StorageEstimates
}

/**
 * Number of bytes that must be free: for the first run, for a later run, and before each part. Free space beyond that is for the user's
 * writes.
 */
const neededBytes = { first: 80_000_000, refresh: 20_000_000, part: 10_000_000 }

/** Runs the preparation. Returns `busy` if any page already runs it. A background run returns `off` if it is not due. */
export async function prepareDevice(ports: PipelinePorts, options: PrepareOptions): Promise<PrepareResult> {
  const { guard } = await readSessionGuard(ports)
  if (!guard) return { kind: 'gone' }
  const { db } = guard
  if (options.isBackground && !isRunDue(await readPreparationRecord(db), ports.clock())) return { kind: 'off' }
  const lockResult = await ports.locks.hold(`preparation:${db.name}`, { waitMs: 0 }, async () => {
    const result = await runParts(ports, guard, options).catch((error: unknown): PrepareResult => {
      if (error instanceof RunEndedError) return error.end
      if (isFullError(error)) return { kind: 'no space', free: null, needed: neededBytes.part }
      throw error
    })
    if (isRunEnd(result))
      await resolveUnlessFull(updatePreparation(db, () => ({ endedAt: ports.clock(), end: result })))
    return result
  })
  return lockResult?.value ?? { kind: 'busy' }
}

const isRunEnd = (result: PrepareResult): result is PreparationEnd =>
  result.kind !== 'gone' && result.kind !== 'busy' && result.kind !== 'off'

async function runParts(
  ports: PipelinePorts,
  guard: SessionGuard,
  { caller, isBackground = false, onProgress, signal, storage = getBrowserStorage() }: PrepareOptions,
): Promise<PrepareResult> {
  const { db, generation } = guard
  const names = await selectParts(ports, guard, caller, isBackground)
  const { parts } = await readPreparationRecord(db)
  const isFirst = Object.values(parts).length === 0
  await requireSpace(storage, isFirst ? neededBytes.first : neededBytes.refresh)
  for (const [index, name] of names.entries()) {
    const report = (doneCount: number, total: number) =>
      onProgress?.({ part: name, index, count: names.length, doneCount, total })
    report(0, 0)
    await requireSpace(storage, neededBytes.part)
    const { reader, result } = createPartReader({ ports, guard, signal, onProgress: report })
    reader.check()
    await readPart(name, reader, caller, (bytes) => requireSpace(storage, bytes + neededBytes.part))
    const part = toPreparedPart(result, { now: ports.clock(), asOf: reader.now(), generation })
    await updatePreparation(db, (record) => ({ parts: { ...record.parts, [name]: part } }))
  }
  // Deletes the records of parts that the user may no longer read, so that they are no longer updated.
  const allowedNames = new Set<string>(getPartNames(caller))
  await updatePreparation(db, (record) => ({
    parts: Object.fromEntries(Object.entries(record.parts).filter(([name]) => allowedNames.has(name))),
  }))
  return { kind: 'done' }
}

async function selectParts(
  ports: PipelinePorts,
  { db }: SessionGuard,
  caller: Caller,
  isBackground: boolean,
): Promise<readonly PreparationPartName[]> {
  const names = getPartNames(caller)
  if (!isBackground) return names
  const { parts } = await readPreparationRecord(db)
  const dueFlags = await Promise.all(names.map((name) => isPartDue(db, parts[name], ports.clock())))
  return names.filter((_, index) => dueFlags[index])
}

/** Throws if fewer bytes are free than `needed`. If the browser does not report free space, the run continues. */
async function requireSpace(storage: StorageEstimates, needed: number): Promise<void> {
  const { usage, quota } = (await storage.estimate?.().catch(() => undefined)) ?? {}
  if (usage === undefined || quota === undefined) return
  const freeBytes = Math.max(0, quota - usage)
  if (freeBytes < needed) throw new RunEndedError({ kind: 'no space', free: freeBytes, needed })
}
