/** Orders and contracts. */
import {
  calculate,
  changeContract,
  createOrder,
  deleteContract,
  deleteOrder,
  getContractHistory,
  getOrder,
  listOrders,
  setAlertDate,
  undoChange,
} from '#contract/orders.ts'
import { type Handler, serviceHandler, listHandler } from '#server/routes/route-handler.ts'
import { change, history } from '#server/services/orders/contracts.ts'
import { alert, create, get, list, remove, removeChange } from '#server/services/orders/orders.ts'
import { undo } from '#server/services/orders/undo-change.ts'
import { calculate as calculated } from '#server/services/orders/quotes.ts'

export const orders: Handler[] = [
  listHandler(listOrders, list),
  serviceHandler(createOrder, create),
  serviceHandler(getOrder, get),
  serviceHandler(deleteOrder, remove),
  serviceHandler(setAlertDate, alert),
  serviceHandler(calculate, calculated),
  serviceHandler(changeContract, change),
  serviceHandler(undoChange, undo),
  serviceHandler(deleteContract, removeChange),
  serviceHandler(getContractHistory, history),
]
