/** How much memory the services of this machine may have together, in MB. */
import { totalmem } from 'node:os'
import type { InstanceConfig } from '#server/drivers/hosting/hosting-driver.ts'

const megabyte = 1024 * 1024
/** For the portal, its database and the system: a seventh of the machine, within these bounds. */
const reserve = { share: 1 / 7, min: 512, max: 4096 }

/** Where it is left to the platform (D42). */
const platformMemory = 256
const maxTasks = 4

export const getMemoryLimit = ({ memoryMb }: InstanceConfig): number => memoryMb || platformMemory
/** -1 leaves it to the platform, which takes one (D42). */
export const getTaskCount = ({ tasks }: InstanceConfig): number => (tasks === -1 ? 1 : Math.min(tasks, maxTasks))

/** `allowanceMb`: what a task may use beside its limit before it is replaced. */
export const calculateNeededMemory = (config: InstanceConfig, allowanceMb: number): number =>
  getTaskCount(config) * (getMemoryLimit(config) + allowanceMb)

/** Bytes; `constrainedBytes`: the limit of the control group, 0 or more than there is: none. */
export function calculateMemoryBudget(totalBytes = totalmem(), constrainedBytes = process.constrainedMemory()): number {
  const availableBytes = constrainedBytes > 0 ? Math.min(totalBytes, constrainedBytes) : totalBytes
  const availableMb = Math.floor(availableBytes / megabyte)
  const reservedMb = Math.min(reserve.max, Math.max(reserve.min, Math.round(availableMb * reserve.share)))
  return Math.max(0, availableMb - reservedMb)
}
