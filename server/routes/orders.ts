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
import { type Handler, serviceHandler, listHandler } from '#server/http/route-handler.ts'
import { change, history } from '#server/use-cases/orders/contracts.ts'
import { alert, create, get, list, remove, removeChange } from '#server/use-cases/orders/orders.ts'
import { undo } from '#server/use-cases/orders/undo-change.ts'
import { calculate as calculated } from '#server/use-cases/orders/quotes.ts'

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
