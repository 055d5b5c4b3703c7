/** The activity list's asking. The requests themselves are rows of the device and never come here. */
import { type PayloadAction, type ThunkAction, type UnknownAction, createSlice } from '@reduxjs/toolkit'
import type { Intent } from '#contract/endpoint.ts'
import { verifyTrail } from '#contract/trail.ts'
import { signedOut } from '#state/session.ts'
import { type Status, idle } from '#state/status.ts'
import { type Extra, type RootState, root } from '#state/store.ts'

type Thunk<T = void> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

export const activity = createSlice({
  name: 'activity',
  initialState: { verify: idle as Status },
  reducers: {
    verifySent: (state) => ({ ...state, verify: { is: 'sending' } as Status }),
    verifyAnswered: (state, { payload }: PayloadAction<Status>) => ({ ...state, verify: payload }),
  },
  extraReducers: (builder) => builder.addCase(signedOut, () => ({ verify: idle as Status })),
})

const own = activity.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectActivity = (state: object) => own.selectSlice(state)
const { verifySent, verifyAnswered } = activity.actions

/** Begins it; how far it is and what it finds stand in the list, however long that takes. */
export const verify =
  (): Thunk =>
  async (dispatch, _getState, { api }) => {
    dispatch(verifySent())
    const result = await api.ask(verifyTrail, { body: { companyId: null } }, { until: 'started' })
    dispatch(verifyAnswered(result.kind === 'problem' ? { is: 'failed', problem: result.problem } : idle))
  }

export const again =
  (intent: Intent): Thunk =>
  (_dispatch, _getState, { jobs }) =>
    jobs.again(intent)

export const dismiss =
  (intent: Intent): Thunk =>
  (_dispatch, _getState, { jobs }) =>
    jobs.dismiss(intent)

export const seen =
  (intents: readonly Intent[]): Thunk =>
  (_dispatch, _getState, { jobs }) =>
    jobs.seen(intents)
