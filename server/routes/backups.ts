/** Backups, their subscriptions and their traffic. */
import {
  backUp,
  disableTraffic,
  getBackupPlan,
  getTraffic,
  listBackupOrders,
  listBackups,
  listTraffic,
  orderBackup,
  restoreBackup,
} from '#contract/backups.ts'
import { type Handler, listHandler, serviceHandler } from '#server/http/route-handler.ts'
import * as asked from '#server/use-cases/hosting/backups/ask-backup.ts'
import * as restores from '#server/use-cases/hosting/backups/ask-restore.ts'
import * as plans from '#server/use-cases/hosting/backups/plan.ts'
import { stored } from '#server/use-cases/hosting/backups/stored-rows.ts'
import { order } from '#server/use-cases/hosting/order-backup.ts'
import { backups as orders, traffic } from '#server/use-cases/hosting/subscriptions.ts'
import { disable } from '#server/use-cases/hosting/traffic/disable.ts'
import { present } from '#server/use-cases/hosting/traffic/present-month.ts'

export const backups: Handler[] = [
  listHandler(listBackupOrders, orders),
  serviceHandler(orderBackup, order),
  listHandler(listTraffic, traffic),
  serviceHandler(getTraffic, present),
  serviceHandler(disableTraffic, disable),
  listHandler(listBackups, stored),
  serviceHandler(backUp, asked.backUp),
  serviceHandler(restoreBackup, restores.restoreBackup),
  serviceHandler(getBackupPlan, plans.getBackupPlan),
]
