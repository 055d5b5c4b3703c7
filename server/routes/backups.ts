/** Backups and their traffic, as far as they are built: nothing orders, pays or measures them yet. */
import { listBackupOrders, listTraffic } from '#contract/backups.ts'
import { type Handler, handleList } from '#server/routes/handlers.ts'
import { backups as orders, traffic } from '#server/services/backups.ts'

export const backups: Handler[] = [handleList(listBackupOrders, orders), handleList(listTraffic, traffic)]
