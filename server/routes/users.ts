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
import { type Handler, handle, handleList } from '#server/routes/handlers.ts'
import { activatemail, create, disable, enable, list, remove, update } from '#server/services/users.ts'

export const users: Handler[] = [
  handleList(listUsers, list),
  handle(createUser, create),
  handle(updateCompanyUser, update),
  handle(deleteUser, remove),
  handle(sendActivationMail, activatemail),
  handle(disableUser, disable),
  handle(enableUser, enable),
]
