/** Apps and their history. */
import { listAppHistory, listApps } from '#contract/apps.ts'
import { type Handler, handleList } from '#server/routes/handlers.ts'
import { history, list } from '#server/services/apps.ts'

export const apps: Handler[] = [handleList(listApps, list), handleList(listAppHistory, history)]
