/** Watches the free disk space. The embedded engine loops for ever on a full disk, so writes are refused well before that. */
import { statfs } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { FreeSpaceMark } from '#server/config/config.ts'

/** Both in bytes. */
export interface DiskSpace {
  free: number
  total: number
}

export const measureDiskSpace = async (folder: string): Promise<DiskSpace> => {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, total: blocks * bsize }
}

const gigabyte = 2 ** 30
const checkIntervalMs = 2000

/**
 * Returns the free space in bytes below which writes are refused. The percentage is at most 1 GB, because a part of a large disk would be
 * far more than needed.
 */
export const getRefusalThreshold = (mark: FreeSpaceMark, total: number) =>
  Math.max(mark.bytes, Math.min((total * mark.percent) / 100, gigabyte))

export interface FreeSpaceWatch {
  hasFreeSpace(): boolean
  stop(): void
}

/** Measures now and every 2 s. `measureSpace` is a parameter, so that a test can simulate a full disk. */
export async function watchFreeSpace(
  mark: FreeSpaceMark,
  measureSpace: () => Promise<DiskSpace>,
  log: Logger,
): Promise<FreeSpaceWatch> {
  let hasFreeSpace = true
  async function check(): Promise<void> {
    const space = await measureSpace().catch(() => null)
    if (!space) return
    const isEnough = space.free >= getRefusalThreshold(mark, space.total)
    if (isEnough !== hasFreeSpace)
      log.warn(
        { event: 'disk_space_changed', ...space, hasFreeSpace: isEnough },
        isEnough ? 'the disk has free space again: writes are accepted' : 'the disk is full: writes are refused',
      )
    hasFreeSpace = isEnough
  }
  await check()
  const timer = setInterval(() => void check(), checkIntervalMs)
  timer.unref()
  return { hasFreeSpace: () => hasFreeSpace, stop: () => clearInterval(timer) }
}
