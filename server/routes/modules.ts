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
import { type Handler, serviceHandler, listHandler } from '#server/routes/route-handler.ts'
import { choices, create, get, list, relations, remove, update, validate } from '#server/services/catalogue/modules.ts'

export const modules: Handler[] = [
  listHandler(listModules, list),
  serviceHandler(listModuleChoices, choices),
  serviceHandler(getModule, get),
  serviceHandler(createModule, create),
  serviceHandler(updateModule, update),
  serviceHandler(deleteModule, remove),
  serviceHandler(getModuleRelations, relations),
  serviceHandler(validateModules, validate),
]
