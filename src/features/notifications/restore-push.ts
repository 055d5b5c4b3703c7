/** Registers this browser again for a user who wants push messages here, because the registration ends with each session. */
import { getNotificationChoices, registerPush } from '#contract/notifications.ts'
import { callEndpoint, type AppThunk } from '#state/app-thunk.ts'
import { deletePushSelection, readPushSelection, storePushRegistration } from '#local/session/push-choice.ts'
import { readPushState, subscribeToPush } from '#features/notifications/push-subscription.ts'

/** Does nothing, and requests nothing of the user, unless push was switched on before and the permission is still granted. */
export const restorePush = (): AppThunk => async (dispatch, getState) => {
  const { session } = getState()
  // While the user acts for a customer, the server refuses both calls (decision 111).
  if (session.kind === 'signed in' && session.user.acting_until !== undefined) return
  if ((await readPushSelection()) === 'none' || (await readPushState()) === 'unsupported') return
  if (Notification.permission !== 'granted') return await deletePushSelection()
  const settings = await dispatch(callEndpoint(getNotificationChoices, {}))
  if (settings.kind !== 'fresh') return
  const registration = await subscribeToPush(settings.output.push_key)
  if (!registration) return
  const result = await dispatch(callEndpoint(registerPush, { body: registration }))
  // The user may have switched push off meanwhile.
  if (result.kind !== 'problem' && (await readPushSelection()) !== 'none') await storePushRegistration()
}
