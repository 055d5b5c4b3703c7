/** Calculates how much memory services need, and how much this machine can provide for all of them, in MB. */
import { totalmem } from 'node:os'
import { configLimits } from '#domain/hosting.ts'
import type { InstanceConfig } from '#server/drivers/hosting/hosting-driver.ts'

const megabyte = 1024 * 1024
/** Memory in MB that is kept free for the portal, its database and the system: a seventh of all memory, within these limits. */
const reserve = { share: 1 / 7, min: 512, max: 4096 }

/** Memory limit of a task in MB if the platform decides (D42). */
const platformMemory = 256

export const getMemoryLimit = ({ memoryMb }: InstanceConfig): number => memoryMb || platformMemory
/** Returns the number of tasks. With -1 the platform decides, and uses one task (D42). */
export const getTaskCount = ({ tasks }: InstanceConfig): number =>
  tasks === -1 ? 1 : Math.min(tasks, configLimits.maxTasks)

/** Returns MB. `allowanceMb` is what a task may use above its limit before it is replaced. */
export const calculateNeededMemory = (config: InstanceConfig, allowanceMb: number): number =>
  getTaskCount(config) * (getMemoryLimit(config) + allowanceMb)

/** Returns MB; the arguments are bytes. `constrainedBytes` is the control group's limit; 0 or more than the total means no limit. */
export function calculateMemoryBudget(totalBytes = totalmem(), constrainedBytes = process.constrainedMemory()): number {
  const availableBytes = constrainedBytes > 0 ? Math.min(totalBytes, constrainedBytes) : totalBytes
  const availableMb = Math.floor(availableBytes / megabyte)
  const reservedMb = Math.min(reserve.max, Math.max(reserve.min, Math.round(availableMb * reserve.share)))
  return Math.max(0, availableMb - reservedMb)
}
