import {
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  listUsers,
  sendActivationMail,
  updateCompanyUser,
} from '#contract/users.ts'
import { type EndpointHandler, createUseCaseHandler, createListHandler } from '#server/http/route-handler.ts'
import {
  resendActivation,
  create,
  disable,
  enable,
  userList,
  remove,
  update,
} from '#server/use-cases/accounts/users.ts'

export const userHandlers: EndpointHandler[] = [
  createListHandler(listUsers, userList),
  createUseCaseHandler(createUser, create),
  createUseCaseHandler(updateCompanyUser, update),
  createUseCaseHandler(deleteUser, remove),
  createUseCaseHandler(sendActivationMail, resendActivation),
  createUseCaseHandler(disableUser, disable),
  createUseCaseHandler(enableUser, enable),
]
