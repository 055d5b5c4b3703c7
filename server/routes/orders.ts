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
import { type Handler, useCaseHandler, listHandler } from '#server/http/route-handler.ts'
import { change, history } from '#server/use-cases/orders/contracts.ts'
import { alert, create, get, list, remove, removeChange } from '#server/use-cases/orders/orders.ts'
import { undo } from '#server/use-cases/orders/undo-change.ts'
import { calculate as calculated } from '#server/use-cases/orders/quotes.ts'

export const orders: Handler[] = [
  listHandler(listOrders, list),
  useCaseHandler(createOrder, create),
  useCaseHandler(getOrder, get),
  useCaseHandler(deleteOrder, remove),
  useCaseHandler(setAlertDate, alert),
  useCaseHandler(calculate, calculated),
  useCaseHandler(changeContract, change),
  useCaseHandler(undoChange, undo),
  useCaseHandler(deleteContract, removeChange),
  useCaseHandler(getContractHistory, history),
]
