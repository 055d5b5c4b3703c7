/** Apps and their history; packages on their way to be published; the icons and change logs of both. */
import { getResource, listAppHistory, listApps, listUploads, publishApps, uploadApp } from '#contract/apps.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { json } from '#server/http/responses.ts'
import { StoredFile } from '#server/http/input/stored-parts.ts'
import { invalid } from '#server/problems/problem-error.ts'
import { type Handler, listHandler, procedureHandler, useCaseHandler } from '#server/http/route-handler.ts'
import { history, list } from '#server/use-cases/catalogue/apps.ts'
import { publish } from '#server/use-cases/catalogue/publish-apps.ts'
import { resource } from '#server/use-cases/catalogue/resources.ts'
import { readMapp } from '#server/use-cases/uploads/read-mapp.ts'
import { badPackage, type FormUpload, listOf, requireMappName, upload } from '#server/use-cases/uploads/uploads.ts'

export const apps: Handler[] = [
  listHandler(listApps, list),
  listHandler(listAppHistory, history),

  useCaseHandler(uploadApp, upload, async (input) => {
    const { file } = input.body
    if (!(file instanceof StoredFile)) throw invalid([{ field: 'file', code: 'REQUIRED' }])
    requireMappName(file.name)
    const read = await readMapp(file.path)
    if ('fault' in read) throw badPackage(read.fault)
    const keep = () => {
      file.isKept = true
    }
    const taken: FormUpload = { id: file.id, name: file.name, content: read.content, keep }
    return { ...input, body: { file: taken } }
  }),

  procedureHandler(
    listUploads,
    async ({ app, principal, requestId }) => ({ body: await listOf(app, requireCaller(principal), requestId) }),
    // A look at the list inspects what has arrived.
    { head: async () => ({ headers: { 'content-type': json } }) },
  ),

  useCaseHandler(publishApps, publish),

  procedureHandler(getResource, ({ app }, { params }) => resource(app, params.id)),
]
