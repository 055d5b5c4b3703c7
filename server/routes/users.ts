/** The users of the own company. */
import {
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  listUsers,
  sendActivationMail,
  updateCompanyUser,
} from '#contract/users.ts'
import { type Handler, useCaseHandler, listHandler } from '#server/http/route-handler.ts'
import { activatemail, create, disable, enable, list, remove, update } from '#server/use-cases/accounts/users.ts'

export const users: Handler[] = [
  listHandler(listUsers, list),
  useCaseHandler(createUser, create),
  useCaseHandler(updateCompanyUser, update),
  useCaseHandler(deleteUser, remove),
  useCaseHandler(sendActivationMail, activatemail),
  useCaseHandler(disableUser, disable),
  useCaseHandler(enableUser, enable),
]
