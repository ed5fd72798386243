/** What few sign-ins need: loaded together, it is smaller than each on its own. */
export { SecondStep } from './second-step.tsx';
export { ServiceProblem } from './service-problem.tsx';
