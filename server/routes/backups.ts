/** Backup subscriptions and the traffic of backups. */
import { disableTraffic, getTraffic, listBackupOrders, listTraffic, orderBackup } from '#contract/backups.ts'
import { type Handler, listHandler, serviceHandler } from '#server/routes/route-handler.ts'
import { order } from '#server/services/hosting/order-backup.ts'
import { backups as orders, traffic } from '#server/services/hosting/subscriptions.ts'
import { disable } from '#server/services/hosting/traffic/disable.ts'
import { present } from '#server/services/hosting/traffic/present-month.ts'

export const backups: Handler[] = [
  listHandler(listBackupOrders, orders),
  serviceHandler(orderBackup, order),
  listHandler(listTraffic, traffic),
  serviceHandler(getTraffic, present),
  serviceHandler(disableTraffic, disable),
]
