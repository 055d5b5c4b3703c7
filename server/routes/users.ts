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
import { type Handler, serviceHandler, listHandler } from '#server/http/route-handler.ts'
import { activatemail, create, disable, enable, list, remove, update } from '#server/use-cases/accounts/users.ts'

export const users: Handler[] = [
  listHandler(listUsers, list),
  serviceHandler(createUser, create),
  serviceHandler(updateCompanyUser, update),
  serviceHandler(deleteUser, remove),
  serviceHandler(sendActivationMail, activatemail),
  serviceHandler(disableUser, disable),
  serviceHandler(enableUser, enable),
]
