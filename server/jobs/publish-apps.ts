import type { OutputOf } from '#contract/endpoint.ts'
import type { publishApps as endpoint } from '#contract/staff/apps.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import {
  readPublishedRows,
  type PublishInput,
  publishOne,
  storePackageOfUpload,
} from '#server/use-cases/catalogue/publish-apps.ts'
import { removeUploadFile } from '#server/use-cases/uploads/upload-files.ts'

export const createPublishJob = (): JobKind<PublishInput, { next: number }, OutputOf<typeof endpoint>> => ({
  // A package that an interrupted step already published is recognised and skipped.
  isResumable: true,
  // Lists of services of the provider's staff are read again, because services may have newer apps now.
  onEnded: ({ app, input }) => announceServices(app, input.companyId),
  async step({ app, input, point }) {
    const index = point?.next ?? 0
    const { modules } = input
    const md5 = modules[index]
    if (md5 === undefined)
      return {
        kind: 'done',
        output: await readAsSystem(app, (db) => readPublishedRows(db, input)),
      }
    await storePackageOfUpload(app, input, md5)
    const { name, uploadId } = await writeAsSystem(app, (db) => publishOne(app, db, input, md5))
    // The package is stored under another name. If this removal fails, the next scan of the folder deletes the file.
    if (uploadId !== null) await removeUploadFile(app, uploadId).catch(() => undefined)
    const publishedCount = index + 1
    return {
      kind: 'on',
      point: { next: publishedCount },
      percent: Math.min(99, Math.floor((publishedCount / modules.length) * 100)),
      info: { name: name ?? '', message: `${publishedCount} / ${modules.length}` },
    }
  },
})
