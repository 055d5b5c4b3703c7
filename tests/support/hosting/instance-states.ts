/** States of instances as a driver reports them: healthy ones without a special case, with the changes of a test. */
import type { Deployment, InstanceState, TaskState } from '#server/drivers/hosting/hosting-driver.ts'

/** Two tasks with 1,500 MB, of which the platform makes 2,048 MB. */
export const instanceConfig = { memoryMb: 1500, tasks: 2 }

export const createTaskStates = (...healthy: boolean[]): TaskState[] =>
  healthy.map((isHealthy, index) => ({
    number: index + 1,
    started: index,
    limitMb: 2048,
    usedMb: null,
    healthy: isHealthy,
  }))

export const createDeployment = (changes: Partial<Deployment> = {}): Deployment => ({
  fence: 1,
  state: 'in_progress',
  healthyTasks: 0,
  wantedTasks: instanceConfig.tasks,
  fault: null,
  ...changes,
})

export const createInstanceState = (changes: Partial<InstanceState> = {}): InstanceState => ({
  serviceId: 1,
  code: 'alpha1',
  created: true,
  wanted: 'running',
  config: instanceConfig,
  active: instanceConfig,
  running: instanceConfig,
  apps: [],
  tasks: createTaskStates(true, true),
  healthy: true,
  fault: null,
  deployment: null,
  address: { url: '', adminUrl: '' },
  ...changes,
})
