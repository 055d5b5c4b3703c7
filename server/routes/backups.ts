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
import { type Handler, listHandler, useCaseHandler } from '#server/http/route-handler.ts'
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
  useCaseHandler(orderBackup, order),
  listHandler(listTraffic, traffic),
  useCaseHandler(getTraffic, present),
  useCaseHandler(disableTraffic, disable),
  listHandler(listBackups, stored),
  useCaseHandler(backUp, asked.backUp),
  useCaseHandler(restoreBackup, restores.restoreBackup),
  useCaseHandler(getBackupPlan, plans.getBackupPlan),
]
