/** Uploads pictures and serves them as bytes that never change. */
import { uploadAsset } from '#contract/accounts.ts'
import { getAsset } from '#contract/public.ts'
import { isSmallEnough } from '#domain/images.ts'
import { ReceivedFile } from '#server/http/input/multipart-form.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'
import { createProcedureHandler, type EndpointHandler, createUseCaseHandler } from '#server/http/route-handler.ts'
import { readAsset, uploadPicture } from '#server/use-cases/accounts/assets.ts'
import { makeAvatar } from '#server/use-cases/accounts/avatar-image.ts'

const yearSeconds = 31_536_000

export const assetHandlers: EndpointHandler[] = [
  createUseCaseHandler(uploadAsset, uploadPicture, async (input, { userId }) => {
    const file: unknown = input.body.avatar
    if (!(file instanceof ReceivedFile) || file.bytes.length === 0)
      throw createValidationProblem([{ field: 'avatar', code: 'REQUIRED' }])
    if (!isSmallEnough(file.bytes.length)) throw new ProblemError('IMAGE_TOO_LARGE')
    return { ...input, body: { avatar: await makeAvatar(file.bytes, userId) } }
  }),

  createProcedureHandler(getAsset, async ({ app }, { params }) => {
    const { type, bytes } = await readAsset(app, params.id)
    return {
      body: bytes,
      headers: {
        'content-type': type,
        'cache-control': `public, max-age=${yearSeconds}, immutable`,
        // If opened directly, a picture is only displayed, even if a browser guesses another type (U-15).
        'content-disposition': 'inline',
      },
    }
  }),
]
