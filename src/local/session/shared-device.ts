/** Stores whether several people use this device. If so, cached data is deleted when a session ends, also if it expired (decision 83). */
import type { Device } from '#local/storage/device.ts'

export const isShared = async (device: Device): Promise<boolean> =>
  (await device.directory.session.get('shared'))?.name === 'shared'

export async function setShared(device: Device, shared: boolean): Promise<void> {
  const { session } = device.directory
  if (shared) await session.put({ name: 'shared' })
  else await session.delete('shared')
}
