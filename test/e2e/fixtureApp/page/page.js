// The page of the fixture application.
window.ofThePage = 'page';
window.seenAtStart = typeof window.fixture;
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) =>
  window.violations.push(event.effectiveDirective),
);
