/** Backups, their subscriptions and their traffic. */
import { backUp, getBackupPlan, listBackupOrders, listBackups, listTraffic, restoreBackup } from '#contract/backups.ts'
import { type Handler, listHandler, serviceHandler } from '#server/routes/route-handler.ts'
import * as asked from '#server/services/hosting/backups/ask-backup.ts'
import * as restores from '#server/services/hosting/backups/ask-restore.ts'
import * as plans from '#server/services/hosting/backups/plan.ts'
import { stored } from '#server/services/hosting/backups/stored-rows.ts'
import { backups as orders, traffic } from '#server/services/hosting/subscriptions.ts'

export const backups: Handler[] = [
  listHandler(listBackupOrders, orders),
  listHandler(listTraffic, traffic),
  listHandler(listBackups, stored),
  serviceHandler(backUp, asked.backUp),
  serviceHandler(restoreBackup, restores.restoreBackup),
  serviceHandler(getBackupPlan, plans.getBackupPlan),
]
