/** Apps and their history. */
import { listAppHistory, listApps } from '#contract/apps.ts'
import { type Handler, listHandler } from '#server/routes/route-handler.ts'
import { history, list } from '#server/services/catalogue/apps.ts'

export const apps: Handler[] = [listHandler(listApps, list), listHandler(listAppHistory, history)]
