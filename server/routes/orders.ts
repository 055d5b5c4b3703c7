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
} from '#contract/orders.ts'
import { type Handler, handle, handleList } from '#server/routes/handlers.ts'
import { change, history } from '#server/services/contracts.ts'
import { alert, create, get, list, remove, removeChange } from '#server/services/orders.ts'
import { calculate as calculated } from '#server/services/quotes.ts'

export const orders: Handler[] = [
  handleList(listOrders, list),
  handle(createOrder, create),
  handle(getOrder, get),
  handle(deleteOrder, remove),
  handle(setAlertDate, alert),
  handle(calculate, calculated),
  handle(changeContract, change),
  handle(deleteContract, removeChange),
  handle(getContractHistory, history),
]
