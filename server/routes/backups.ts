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
import { type EndpointHandler, createListHandler, createUseCaseHandler } from '#server/http/route-handler.ts'
import * as backupRequests from '#server/use-cases/hosting/backups/request-backup.ts'
import * as restores from '#server/use-cases/hosting/backups/request-restore.ts'
import * as plans from '#server/use-cases/hosting/backups/plan.ts'
import { storedBackupList } from '#server/use-cases/hosting/backups/stored-backup-list.ts'
import { placeBackupOrder } from '#server/use-cases/hosting/order-backup.ts'
import { backupSubscriptionList as orders, trafficSubscriptionList } from '#server/use-cases/hosting/subscriptions.ts'
import { setTrafficDisabled } from '#server/use-cases/hosting/traffic/disable.ts'
import { readCurrentMonth } from '#server/use-cases/hosting/traffic/current-month.ts'

export const backupHandlers: EndpointHandler[] = [
  createListHandler(listBackupOrders, orders),
  createUseCaseHandler(orderBackup, placeBackupOrder),
  createListHandler(listTraffic, trafficSubscriptionList),
  createUseCaseHandler(getTraffic, readCurrentMonth),
  createUseCaseHandler(disableTraffic, setTrafficDisabled),
  createListHandler(listBackups, storedBackupList),
  createUseCaseHandler(backUp, backupRequests.requestBackup),
  createUseCaseHandler(restoreBackup, restores.requestRestore),
  createUseCaseHandler(getBackupPlan, plans.getBackupPlan),
]
