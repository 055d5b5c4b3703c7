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
import { type EndpointHandler, createUseCaseHandler, createListHandler } from '#server/http/route-handler.ts'
import { orderContractChange, readContractHistory } from '#server/use-cases/orders/contracts.ts'
import { setOrderAlertDate, create, get, orderList, remove, removeChange } from '#server/use-cases/orders/orders.ts'
import { undoContractChange } from '#server/use-cases/orders/undo-change.ts'
import { calculateQuote as calculated } from '#server/use-cases/orders/quotes.ts'

export const orderHandlers: EndpointHandler[] = [
  createListHandler(listOrders, orderList),
  createUseCaseHandler(createOrder, create),
  createUseCaseHandler(getOrder, get),
  createUseCaseHandler(deleteOrder, remove),
  createUseCaseHandler(setAlertDate, setOrderAlertDate),
  createUseCaseHandler(calculate, calculated),
  createUseCaseHandler(changeContract, orderContractChange),
  createUseCaseHandler(undoChange, undoContractChange),
  createUseCaseHandler(deleteContract, removeChange),
  createUseCaseHandler(getContractHistory, readContractHistory),
]
