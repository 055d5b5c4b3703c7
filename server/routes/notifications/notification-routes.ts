import {
  getNotificationChoices,
  listNotifications,
  readNotifications,
  registerPush,
  removePush,
  setNotificationChoice,
} from '#contract/notifications.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import {
  createProcedureHandler,
  createUseCaseHandler,
  type EndpointHandler,
  type RequestContext,
} from '#server/http/route-handler.ts'
import { listInbox, markRead, readOwnChoices, storeChoice } from '#server/use-cases/notifications/inbox.ts'
import { type PushCaller, registerPushDevice, removePushDevice } from '#server/use-cases/notifications/push.ts'

const toPushCaller = ({ principal }: RequestContext): PushCaller => ({
  caller: requireCaller(principal),
  sessionId: principal.sessionId,
})

export const notificationHandlers: EndpointHandler[] = [
  createUseCaseHandler(listNotifications, listInbox),
  createProcedureHandler(readNotifications, async ({ app, principal }, { body }) => ({
    body: await markRead(app, requireCaller(principal), body),
  })),
  createUseCaseHandler(getNotificationChoices, readOwnChoices),
  createUseCaseHandler(setNotificationChoice, storeChoice),
  createProcedureHandler(registerPush, async (context, { body }) => {
    await registerPushDevice(context.app, toPushCaller(context), body)
    return { body: null }
  }),
  createProcedureHandler(removePush, async (context) => {
    await removePushDevice(context.app, toPushCaller(context))
    return { body: null }
  }),
]
