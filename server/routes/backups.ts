/** Backups and their traffic, as far as they are built: nothing orders, pays or measures them yet. */
import { listBackupOrders, listTraffic } from '#contract/backups.ts'
import { type Handler, listHandler } from '#server/routes/route-handler.ts'
import { backups as orders, traffic } from '#server/services/hosting/subscriptions.ts'

export const backups: Handler[] = [listHandler(listBackupOrders, orders), listHandler(listTraffic, traffic)]
