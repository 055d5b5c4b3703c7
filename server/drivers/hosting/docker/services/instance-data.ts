/** The calls of the driver that use the control endpoint of a service: its password and its data. */
import {
  type DataPiece,
  HostingError,
  type HostingOperation,
  type InstanceRef,
} from '#server/drivers/hosting/hosting-driver.ts'
import type { DockerContext } from '#server/drivers/hosting/docker/services/docker-context.ts'
import { applyRecord, stopTasks } from '#server/drivers/hosting/docker/services/apply-record.ts'
import { hasServiceData } from '#server/drivers/hosting/docker/services/erase-data.ts'
import {
  openMaintenance,
  openServiceControl,
  withControl,
} from '#server/drivers/hosting/docker/services/maintenance.ts'

/** Time in ms after which the tasks of a service run again if the replacement of its data was interrupted. */
const maxPauseMs = 15 * 60_000

export function createInstanceData(context: DockerContext) {
  const { records, settings } = context

  /** Activates a draft while no task runs. */
  async function activateDraft(ref: InstanceRef, fence: number, activate: () => Promise<void>): Promise<void> {
    const pausedUntil = settings.clock() + maxPauseMs
    await records.changeCreated(ref, fence, (record) => ({ ...record, pausedUntil }))
    try {
      await stopTasks(context, ref, fence)
      await activate()
      await records.changeCreated(ref, fence, (record) => ({ ...record, hasPassword: true }))
    } finally {
      await records.changeCreated(ref, fence, (record) => ({ ...record, pausedUntil: null }))
      await applyRecord(context, ref, fence)
    }
  }

  return {
    async setPassword(ref: InstanceRef, password: string, { fence }: HostingOperation): Promise<void> {
      const record = await records.changeCreated(ref, fence, (currentRecord) => currentRecord)
      await withControl(context, record, (control) => control.setAdminPassword(password))
      await records.changeCreated(ref, fence, (currentRecord) => ({ ...currentRecord, hasPassword: true }))
      context.log.write(ref, 'password of admin changed')
    },

    async *readData(ref: InstanceRef): AsyncGenerator<DataPiece> {
      const record = await records.find(ref)
      if (record?.erased !== 'no' || !(record.created || (await hasServiceData(context, record))))
        throw new HostingError('no_instance', `there is no data of the service ${ref.code}`)
      const { control, release } = await openServiceControl(context, record)
      try {
        yield* control.readData()
      } finally {
        release()
      }
    },

    async replaceData(ref: InstanceRef, pieces: AsyncIterable<DataPiece>, { fence }: HostingOperation): Promise<void> {
      const record = await records.changeCreated(ref, fence, (currentRecord) => currentRecord)
      const { control, release } = await openMaintenance(context, record)
      try {
        const draft = await control.createDraft(pieces)
        try {
          await activateDraft(ref, fence, () => control.activateDraft(draft))
          context.log.write(ref, 'data replaced')
        } catch (error) {
          // The instance removes drafts that remain.
          await control.removeDraft(draft).catch(() => undefined)
          throw error
        }
      } finally {
        release()
      }
    },
  }
}
