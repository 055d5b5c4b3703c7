/** The catalogue of modules. */
import {
  createModule,
  deleteModule,
  getModule,
  getModuleRelations,
  listModuleChoices,
  listModules,
  updateModule,
  validateModules,
} from '#contract/modules.ts'
import { type Handler, handle, handleList } from '#server/routes/handlers.ts'
import { choices, create, get, list, relations, remove, update, validate } from '#server/services/modules.ts'

export const modules: Handler[] = [
  handleList(listModules, list),
  handle(listModuleChoices, choices),
  handle(getModule, get),
  handle(createModule, create),
  handle(updateModule, update),
  handle(deleteModule, remove),
  handle(getModuleRelations, relations),
  handle(validateModules, validate),
]
