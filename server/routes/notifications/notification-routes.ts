import {
  getNotificationChoices,
  listNotifications,
  readNotifications,
  setNotificationChoice,
} from '#contract/notifications.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { createProcedureHandler, createUseCaseHandler, type EndpointHandler } from '#server/http/route-handler.ts'
import { listInbox, markRead, readOwnChoices, storeChoice } from '#server/use-cases/notifications/inbox.ts'

export const notificationHandlers: EndpointHandler[] = [
  createUseCaseHandler(listNotifications, listInbox),
  createProcedureHandler(readNotifications, async ({ app, principal }, { body }) => ({
    body: await markRead(app, requireCaller(principal), body),
  })),
  createUseCaseHandler(getNotificationChoices, readOwnChoices),
  createUseCaseHandler(setNotificationChoice, storeChoice),
]
