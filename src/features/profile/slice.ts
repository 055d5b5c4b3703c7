/** The own account in the store: how the profile's and the password's form are being sent. What is typed stays in its form. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import { changePassword, getUser, updateOwnUser, uploadAsset } from '#contract/accounts.ts'
import type { UserRow } from '#contract/users.ts'
import { type OverlaidRow, getBaseVersion } from '#local/lists/list-view.ts'
import type { ApiClient, CallResult } from '#request/call-results.ts'
import { type SessionUser, signedOut, userRead } from '#state/session-slice.ts'
import { type FormStatus, unsentForm } from '#state/form-status.ts'
import { addFormCases, createFormThunk } from '#state/form-thunk.ts'
import { type RequestStatus, idleStatus } from '#state/request-status.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { rootReducer } from '#state/store.ts'
import type { ProfileChanges } from '#features/profile/form.ts'

/** What a picture was called when it was sent: saved again after a refusal it is not sent a second time. */
const uploadedNames = new WeakMap<Blob, string>()

/** The picture's id, or `~{intent}` while it waits on the device; first the file, then the write that names it. */
async function upload(api: ApiClient, picture: File) {
  const uploadedName = uploadedNames.get(picture)
  if (uploadedName) return { name: uploadedName }
  const result = await api.call(uploadAsset, { body: { avatar: picture } })
  if (result.kind === 'problem') return { problem: result.problem }
  const name = result.kind === 'queued' ? `~${result.intent}` : result.kind === 'fresh' ? result.output.id : ''
  uploadedNames.set(picture, name)
  return { name }
}

interface SaveProfileRequest {
  initialRow: OverlaidRow<UserRow>
  /** `picture`: a new one, null to take it away, undefined to leave it. */
  changes: ProfileChanges
}

export const saveProfile = createFormThunk(
  'profile/save',
  async (
    { initialRow, changes: { picture, ...otherChanges } }: SaveProfileRequest,
    { extra: { api }, getState, dispatch },
  ) => {
    const { intent } = selectProfile(getState())
    const intentOption = intent === null ? {} : { intent }
    const uploadResult = picture ? await upload(api, picture) : { name: null }
    if ('problem' in uploadResult) return { kind: 'problem', problem: uploadResult.problem, ...intentOption }
    const body = { ...otherChanges, ...(picture === undefined ? {} : { avatar: uploadResult.name }) }
    const { row } = initialRow
    const base = { rowVersion: getBaseVersion(initialRow), values: { name: row.name, avatar: row.avatar } }
    const result = await api.call(updateOwnUser, { params: { id: row.id }, body }, { base, ...intentOption })
    if (result.kind === 'fresh') await dispatch(readOwnUser())
    return result
  },
)

interface ProfileState extends FormStatus {
  password: RequestStatus
}

const initialState: ProfileState = { ...unsentForm, password: idleStatus }

const profileSlice = createSlice({
  name: 'profile',
  initialState,
  reducers: {
    formOpened: (state) => ({ ...state, ...unsentForm }),
    passwordSent: (state) => ({ ...state, password: { kind: 'sending' } }),
    passwordAnswered: (state, { payload }: PayloadAction<RequestStatus>) => ({ ...state, password: payload }),
  },
  extraReducers: (builder) => addFormCases(builder, saveProfile).addCase(signedOut, () => initialState),
})

const injectedSlice = profileSlice.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectProfile = (state: object): ProfileState => injectedSlice.selectSlice(state)
export const { formOpened, passwordAnswered } = profileSlice.actions
const { passwordSent } = profileSlice.actions

/** The frame shows name and picture as well, and the device keeps this reading for its next start. */
export const readOwnUser =
  (): AppThunk<void> =>
  async (dispatch, _getState, { api }) => {
    const result = await api.call(getUser, {})
    // Oneself always has a number.
    if (result.kind === 'fresh') dispatch(userRead(result.output as SessionUser))
  }

/** Never kept on the device: the contract calls it a secret. */
export const changeOwnPassword =
  (originalPassword: string, newPassword: string): AppThunk<CallResult<unknown>> =>
  async (dispatch, _getState, { api }) => {
    dispatch(passwordSent())
    const result = await api.call(changePassword, { body: { orgPwd: originalPassword, newPwd: newPassword } })
    dispatch(passwordAnswered(result.kind === 'problem' ? { kind: 'failed', problem: result.problem } : idleStatus))
    return result
  }
