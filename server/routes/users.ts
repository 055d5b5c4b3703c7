/** The users of the own company. */
import { createUser, deleteUser, disableUser, enableUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { type Handler, handle, handleList } from '#server/routes/handlers.ts'
import { create, disable, enable, list, remove, update } from '#server/services/users.ts'

export const users: Handler[] = [
  handleList(listUsers, list),
  handle(createUser, create),
  handle(updateCompanyUser, update),
  handle(deleteUser, remove),
  handle(disableUser, disable),
  handle(enableUser, enable),
]
