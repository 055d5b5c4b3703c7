import { getUser, updateOwnUser, uploadAsset } from '#contract/accounts.ts'
import type { RowRef } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { ApiClient, CallOptions, CallResult } from '#request/call-results.ts'
import { type SessionUser, userRead } from '#state/session-slice.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { ProfileValues } from '#features/profile/form.ts'

/** Ids of uploaded pictures, so that a picture is not uploaded again when the form is saved again after a refusal. */
const uploadedNames = new WeakMap<Blob, string>()

/** Uploads a picture. Returns its id as `name`, or `~{intent}` while it waits on the device. */
async function upload(api: ApiClient, picture: File): Promise<{ name: string } | { problem: Problem }> {
  const uploadedName = uploadedNames.get(picture)
  if (uploadedName) return { name: uploadedName }
  const result = await api.call(uploadAsset, { body: { avatar: picture } })
  if (result.kind === 'problem') return { problem: result.problem }
  const name = result.kind === 'queued' ? `~${result.intent}` : result.kind === 'fresh' ? result.output.id : ''
  uploadedNames.set(picture, name)
  return { name }
}

export const saveProfile =
  (
    id: RowRef,
    { avatar, ...otherChanges }: Partial<ProfileValues>,
    options: CallOptions,
  ): AppThunk<CallResult<unknown>> =>
  async (dispatch, _getState, { api }) => {
    const uploadResult = avatar instanceof File ? await upload(api, avatar) : { name: avatar }
    // The change of the profile was not sent, so the next attempt uses the same intent.
    if ('problem' in uploadResult)
      return { kind: 'problem', problem: uploadResult.problem, ...(options.intent ? { intent: options.intent } : {}) }
    const { name } = uploadResult
    const body = { ...otherChanges, ...(name === undefined ? {} : { avatar: name }) }
    const result = await api.call(updateOwnUser, { params: { id }, body }, options)
    if (result.kind === 'fresh') await dispatch(readOwnUser())
    return result
  }

/** Reads the user again, which updates the name and picture in the page header. The device stores the response for the next start. */
export const readOwnUser =
  (): AppThunk<void> =>
  async (dispatch, _getState, { api }) => {
    const result = await api.call(getUser, {})
    // The id of the signed-in user is always a number.
    if (result.kind === 'fresh') dispatch(userRead(result.output as SessionUser))
  }
