import { getResource, listUploads, publishApps, uploadApp } from '#contract/staff/apps.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { jsonType } from '#server/http/responses.ts'
import { StoredFile } from '#server/http/input/stored-parts.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'
import {
  type EndpointHandler,
  createListHandler,
  createProcedureHandler,
  createUseCaseHandler,
} from '#server/http/route-handler.ts'
import { catalogueLists } from '#server/use-cases/catalogue/catalogue-lists.ts'
import { startPublishing } from '#server/use-cases/catalogue/publish-apps.ts'
import { readResource } from '#server/use-cases/catalogue/resources.ts'
import { readMapp } from '#server/use-cases/uploads/read-mapp.ts'
import { storeReceivedFile } from '#server/use-cases/uploads/upload-files.ts'
import {
  createPackageError,
  type FormUpload,
  listOwnUploads,
  requireMappName,
  uploadFromForm,
} from '#server/use-cases/uploads/uploads.ts'

export const appHandlers: EndpointHandler[] = [
  ...catalogueLists.map(({ endpoint, list }) => createListHandler(endpoint, list)),

  createUseCaseHandler(uploadApp, uploadFromForm, async (input, _caller, app) => {
    const { file } = input.body
    if (!(file instanceof StoredFile)) throw createValidationProblem([{ field: 'file', code: 'REQUIRED' }])
    requireMappName(file.name)
    const result = await readMapp(file.path)
    if ('fault' in result) throw createPackageError(result.fault)
    // Stored before the transaction. If it fails, the stored file has no row and is deleted later.
    const isCopied = await storeReceivedFile(app, file)
    const keep = () => {
      file.shouldKeep = !isCopied
    }
    const uploadedFile: FormUpload = { id: file.id, name: file.name, content: result.content, keepFile: keep }
    return { ...input, body: { file: uploadedFile } }
  }),

  createProcedureHandler(
    listUploads,
    async ({ app, principal, requestId }) => ({ body: await listOwnUploads(app, requireCaller(principal), requestId) }),
    // Listing the uploads also reads packages that were uploaded completely, so HEAD does not run it.
    { head: async () => ({ headers: { 'content-type': jsonType } }) },
  ),

  createUseCaseHandler(publishApps, startPublishing),

  createProcedureHandler(getResource, ({ app }, { params }) => readResource(app, params.id)),
]
