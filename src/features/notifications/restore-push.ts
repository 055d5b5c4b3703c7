/** Registers this browser again for a user who wants push messages here, because the registration ends with each session. */
import { getNotificationChoices, registerPush } from '#contract/notifications.ts'
import { callEndpoint, type AppThunk } from '#state/app-thunk.ts'
import { isPushChosen, storePushChoice } from '#local/session/push-choice.ts'
import { readPushState, subscribeToPush } from '#features/notifications/push-subscription.ts'

/** Does nothing, and requests nothing of the user, unless push was switched on before and the permission is still granted. */
export const restorePush = (): AppThunk => async (dispatch) => {
  if (!(await isPushChosen()) || (await readPushState()) === 'unsupported') return
  if (Notification.permission !== 'granted') return await storePushChoice(false)
  const settings = await dispatch(callEndpoint(getNotificationChoices, {}))
  if (settings.kind !== 'fresh') return
  const registration = await subscribeToPush(settings.output.push_key)
  if (registration) await dispatch(callEndpoint(registerPush, { body: registration }))
}
